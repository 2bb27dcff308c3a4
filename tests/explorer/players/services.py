"""The errors of services, in their own documented words.

A row has a status, a body and headers; a body that is a list of texts is streamed as events.
"""

import json

SAID = "Answer: the loop covers every case."
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"


def _error(message, **more):
    return json.dumps({"error": {"message": message, **more}})


def _of_vllm(message, kind, code):
    return json.dumps(
        {"object": "error", "message": message, "type": kind, "param": None, "code": code}
    )


def _of_google(message, code, status, **more):
    return json.dumps([{"error": {"code": code, "message": message, "status": status, **more}}])


def _whole(content=SAID, **more):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}
    choice["message"] |= {"content": content, **more}
    usage = {"prompt_tokens": 700, "completion_tokens": 9}
    return json.dumps(
        {"object": "chat.completion", "model": "test", "choices": [choice], "usage": usage}
    )


def _delta(finish=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"model": "test", "choices": [choice]})


# -- llama.cpp, vLLM, Ollama and others on one's own machine --------------------------------------

OWN_MACHINE = {
    "llama.cpp loads": (503, _error("Loading model", type="unavailable_error", code=503)),
    "llama.cpp context": (
        400,
        _error(
            "the request exceeds the available context size, try increasing it",
            code=400,
            type="exceed_context_size_error",
            n_prompt_tokens=5000,
            n_ctx=4096,
        ),
    ),
    "vLLM context": (
        400,
        _of_vllm(
            "This model's maximum context length is 2048 tokens. However, you requested 9048 "
            "tokens (7000 in the messages, 2048 in the completion). Please reduce the length of "
            "the messages or completion.",
            "BadRequestError",
            400,
        ),
    ),
    "vLLM model": (404, _of_vllm("The model `test` does not exist.", "NotFoundError", 404)),
    "Ollama model": (
        404,
        _error('model "test" not found, try pulling it first', type="api_error", code=None),
    ),
    "Ollama busy": (
        503,
        _error("server busy, please try again. maximum pending requests exceeded"),
    ),
    "FastAPI": (
        422,
        '{"detail": [{"type": "extra_forbidden", "loc": ["body", "messages"], '
        '"msg": "Extra inputs are not permitted"}]}',
    ),
    "Flask": (500, "<!doctype html>\n<title>500 Internal Server Error</title>"),
    "plain text": (404, "404 page not found"),
    "TLS wanted": (400, "Client sent an HTTP request to an HTTPS server.\n"),
}

# -- large services, and the proxies before them -------------------------------------------------

LARGE = {
    "OpenAI key": (
        401,
        _error(
            "Incorrect API key provided: sk-*****.", type="invalid_request_error", code="invalid"
        ),
    ),
    "OpenAI quota": (
        429,
        _error(
            "You exceeded your current quota, please check your plan and billing details.",
            type="insufficient_quota",
            code="insufficient_quota",
        ),
    ),
    "OpenAI limit": (
        429,
        _error(
            "Rate limit reached for test in organization org-x on tokens per min (TPM): Limit 10, "
            "Used 9, Requested 2. Please try again in 1m2.5s.",
            type="tokens",
            code="rate_limit_exceeded",
        ),
    ),
    "OpenAI context": (
        400,
        _error(
            "This model's maximum context length is 8192 tokens. However, your messages resulted "
            "in 9001 tokens. Please reduce the length of the messages.",
            type="invalid_request_error",
            param="messages",
            code="context_length_exceeded",
        ),
    ),
    "Gemini": (400, _of_google("Invalid value at 'temperature'", 400, "INVALID_ARGUMENT")),
    "Gemini key": (
        400,
        _of_google("API key not valid. Please pass a valid API key.", 400, "INVALID_ARGUMENT"),
    ),
    "Gemini limit": (
        429,
        _of_google(
            "You exceeded your current quota, please check your plan and billing details.",
            429,
            "RESOURCE_EXHAUSTED",
            details=[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "23s"}],
        ),
    ),
    "Anthropic overloaded": (
        529,
        json.dumps(
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        ),
    ),
    "OpenRouter credit": (402, _error("Insufficient credits. Add more to continue.", code=402)),
    "forbidden": (403, _error("Project does not have access to model test")),
    "429 alone": (429, "{}"),
    "429 with a time": (429, _error("slow down"), {"retry-after": "12"}),
    "429 for a day": (429, _error("daily limit"), {"retry-after": "86400"}),
    "proxy page": (200, PAGE, {"content-type": "text/html"}),
    "proxy page with an error": (403, PAGE, {"content-type": "text/html"}),
    "bad gateway": (502, "<html><body>502 Bad Gateway nginx</body></html>"),
    "elsewhere": (302, "", {"location": "https://login.example/start?next=secret"}),
    "307": (307, "", {"location": "https://other.example/v1/chat/completions"}),
    "307 to nowhere": (307, "", {"location": "https://[nowhere"}),
}

# -- answers without content, or in an unusual form -----------------------------------------------

ODD = {
    "empty": (200, ""),
    "not JSON": (200, ["{this is not json"]),
    "JSON of something else": (200, '{"status": "ok"}'),
    "wrong types": (200, [json.dumps({"choices": [{"delta": {"content": 7}}]})]),
    "wrong types everywhere": (200, json.dumps({"choices": [[]], "usage": "x", "model": []})),
    "an error as an answer": (200, _error("upstream failed", code=502)),
    "an error in the middle": (200, [_delta(content="Answer: w"), _error("gpu fell off")]),
    "a limit in the middle": (200, [_delta(content="Answer: w"), _error("slow down", code=429)]),
    "cut off in the middle": (200, [_delta(content="Answer: this is only ha")]),
}
NO_MOVE = {
    "null": (200, [_delta(content=None), _delta("stop"), "[DONE]"]),
    "no words": (200, [_delta(content=""), _delta("stop"), "[DONE]"]),
    "a refusal": (200, [_delta(refusal="I cannot help with that."), _delta("stop")]),
    "a filter": (200, [_delta(content="Answer: be"), _delta("content_filter")]),
    "tool calls": (
        200,
        [_delta(tool_calls=[{"index": 0, "function": {"name": "rm"}}]), _delta("tool_calls")],
    ),
    "length": (200, [_delta(content="Answer: because"), _delta("length"), "[DONE]"]),
    "1 MB": (200, [_delta(content="word " * 2000)] * 105),
}
PLAYED = {
    "whole": (200, _whole()),
    "whole, with thoughts": (200, _whole(reasoning_content="I know better.")),
    "no reason to end": (200, [_delta(content=SAID), "[DONE]"]),
    "invalid unicode": (
        200,
        ['{"choices": [{"delta": {"content": "Answer: \\ud83d!"}}]}', "[DONE]"],
    ),
}
ROWS = {**OWN_MACHINE, **LARGE, **ODD, **NO_MOVE, **PLAYED}
