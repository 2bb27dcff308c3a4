"""Where providers of models are asked, and which variables of the environment hold their keys.

As Inspect has it. A key is sent to its provider's own addresses; see ``keys.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PROVIDERS", "SERVICES", "Provider"]

# Providers that speak OpenAI's protocol with a service whose name is the second part of a model's.
SERVICES = ("openai-api", "openai-api-completions")


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider, as Inspect knows it.

    Parameters
    ----------
    keys : tuple of str
        Variables that hold its keys; none where it wants no key.
    own : tuple of str
        The hosts that are its own, asked by HTTPS. ``*`` is one part of a name. Not those where
        anybody can get a name, such as Azure's.
    addresses : tuple of str
        Variables that hold another address.
    """

    keys: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


def _usual(name: str, *own: str, keys: tuple[str, ...] = ()) -> Provider:
    return Provider(keys or (f"{name}_API_KEY",), own, (f"{name}_BASE_URL",))


_KEYLESS = Provider()
_AWS = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_BEDROCK = ("bedrock-runtime.*.amazonaws.com",)
_VERTEX = ("aiplatform.googleapis.com", "*-aiplatform.googleapis.com")
_GOOGLE = ("GOOGLE_API_KEY", "GEMINI_API_KEY")

# By the first part of a model's name; where a provider has several ways, by the first two.
PROVIDERS: dict[str, Provider] = {
    "openai": _usual("OPENAI", "api.openai.com", "*.api.openai.com"),
    "openai/azure": Provider(
        ("AZUREAI_OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"),
        (),
        ("AZUREAI_OPENAI_BASE_URL", "AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"),
    ),
    "openai/bedrock": Provider(
        ("BEDROCK_OPENAI_API_KEY", *_AWS, "OPENAI_API_KEY"),
        _BEDROCK,
        ("BEDROCK_OPENAI_BASE_URL", "AWS_BEDROCK_BASE_URL"),
    ),
    "anthropic": Provider(
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        ("api.anthropic.com",),
        ("ANTHROPIC_BASE_URL",),
    ),
    "anthropic/azure": Provider(
        ("AZUREAI_ANTHROPIC_API_KEY", "AZURE_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        (),
        ("AZUREAI_ANTHROPIC_BASE_URL", "AZURE_ANTHROPIC_BASE_URL"),
    ),
    "anthropic/bedrock": Provider(
        (*_AWS, "ANTHROPIC_API_KEY"),
        _BEDROCK,
        ("ANTHROPIC_BEDROCK_BASE_URL", "BEDROCK_ANTHROPIC_BASE_URL"),
    ),
    "anthropic/vertex": Provider(
        ("GOOGLE_APPLICATION_CREDENTIALS", "ANTHROPIC_API_KEY"),
        _VERTEX,
        ("ANTHROPIC_VERTEX_BASE_URL", "VERTEX_ANTHROPIC_BASE_URL"),
    ),
    "google": Provider(
        (*_GOOGLE, "VERTEX_API_KEY"),
        ("generativelanguage.googleapis.com", *_VERTEX),
        ("GOOGLE_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "VERTEX_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
    ),
    "mistral": _usual("MISTRAL", "api.mistral.ai"),
    "mistral/azure": Provider(
        ("AZUREAI_MISTRAL_API_KEY", "AZURE_MISTRAL_API_KEY", "MISTRAL_API_KEY"),
        (),
        ("AZUREAI_MISTRAL_BASE_URL", "AZURE_MISTRAL_BASE_URL"),
    ),
    "grok": Provider(
        ("XAI_API_KEY", "GROK_API_KEY"),
        ("api.x.ai", "*.api.x.ai"),
        ("XAI_BASE_URL", "GROK_BASE_URL"),
    ),
    "groq": _usual("GROQ", "api.groq.com"),
    "deepseek": _usual("DEEPSEEK", "api.deepseek.com"),
    "fireworks": _usual("FIREWORKS", "api.fireworks.ai"),
    "together": _usual("TOGETHER", "api.together.xyz", "api.together.ai"),
    "openrouter": _usual("OPENROUTER", "openrouter.ai"),
    "perplexity": _usual("PERPLEXITY", "api.perplexity.ai"),
    "moonshot": _usual("MOONSHOT", "api.moonshot.ai", "api.moonshot.cn"),
    "sambanova": _usual("SAMBANOVA", "api.sambanova.ai"),
    "meta": _usual("META", "api.meta.ai", keys=("META_API_KEY", "MODEL_API_KEY")),
    "cloudflare": _usual(
        "CLOUDFLARE", "api.cloudflare.com", keys=("CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN")
    ),
    "hf-inference-providers": Provider(("HF_TOKEN",), ("router.huggingface.co",)),
    "bedrock": Provider(_AWS, _BEDROCK, ("BEDROCK_BASE_URL",)),
    "sagemaker": Provider(_AWS, ("runtime.sagemaker.*.amazonaws.com",), ("SAGEMAKER_BASE_URL",)),
    "azureai": Provider(
        ("AZUREAI_API_KEY", "AZURE_API_KEY"),
        (),
        ("AZUREAI_BASE_URL", "AZUREAI_ENDPOINT_URL", "AZURE_ENDPOINT_URL"),
    ),
    "litellm-proxy": Provider(
        ("LITELLM_PROXY_API_KEY", "LITELLM_API_KEY"),
        (),
        ("LITELLM_PROXY_BASE_URL", "LITELLM_PROXY_API_BASE", "LITELLM_BASE_URL"),
    ),
    "vllm": _usual("VLLM"),
    "vllm-completions": _usual("VLLM"),
    "sglang": _usual("SGLANG"),
    **dict.fromkeys(
        ("ollama", "mockllm", "none", "llama-cpp-python", "transformer_lens"), _KEYLESS
    ),
}
