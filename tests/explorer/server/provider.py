"""An identity provider (OpenID Connect) on this machine, where everybody is Ada."""

import secrets
import socket
import threading
import time
from pathlib import Path

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

NAME = "Ada **Lovelace** ![x](http://evil.example/x.png)"
SECRETS = """
[auth]
redirect_uri = "{app}/oauth2callback"
cookie_secret = "{cookie_secret}"

[auth.school]
client_id = "explorer"
client_secret = "{client_secret}"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""


class Provider:
    """A provider in its own thread.

    Attributes
    ----------
    secrets : list of str
        What nobody but the app, the browser and the provider may ever see.
    """

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": "1"})
        self.client_secret, self.cookie_secret = secrets.token_hex(20), secrets.token_hex(20)
        self.secrets = [self.client_secret, self.cookie_secret]
        self._nonces: dict[str, str] = {}
        bound = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        routes = [
            Route("/.well-known/openid-configuration", self.about),
            Route("/authorize", self.authorize),
            Route("/token", self.token, methods=["POST"]),
            Route("/keys", self.keys),
        ]
        self._server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error"))
        threading.Thread(target=self._server.run, args=([bound],), daemon=True).start()

    def close(self) -> None:
        self._server.should_exit = True

    def write(self, file: Path, app: str) -> Path:
        """Write the app's file of secrets."""
        said = {"client_secret": self.client_secret, "cookie_secret": self.cookie_secret}
        file.write_text(SECRETS.format(app=app, provider=self.url, **said), "utf-8")
        return file

    async def about(self, request: Request) -> JSONResponse:
        places = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "jwks_uri": "keys",
        }
        return JSONResponse(
            {
                "issuer": self.url,
                **{name: f"{self.url}/{path}" for name, path in places.items()},
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def authorize(self, request: Request) -> RedirectResponse:
        """Sign everybody in without a password."""
        asked, code = request.query_params, secrets.token_hex(20)
        self.secrets.append(code)
        self._nonces[code] = asked["nonce"]
        back = f"{asked['redirect_uri']}?code={code}&state={asked['state']}"
        return RedirectResponse(back, 302)

    async def token(self, request: Request) -> JSONResponse:
        form = await request.form()
        nonce = self._nonces.pop(str(form["code"]), None)
        if nonce is None:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.url, "aud": "explorer", "sub": "1", "iat": now, "exp": now + 600}
        claims |= {"nonce": nonce, "name": NAME}
        token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)
        access = secrets.token_hex(20)
        self.secrets += [token, access]
        return JSONResponse(
            {"access_token": access, "token_type": "Bearer", "expires_in": 600, "id_token": token}
        )

    async def keys(self, request: Request) -> JSONResponse:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})
