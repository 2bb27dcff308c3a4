"""Models that answer at once, asked by Inspect, and the chats that they were sent."""

from tests.explorer.players.misbehaving import sensible
from tests.later import inspect_ai


def mock(answer=sensible):
    """Return a model, and the list of the chats that it is sent."""
    sent = []

    def respond(messages, tools, tool_choice, config):
        chat = [{"role": message.role, "content": message.text} for message in messages]
        sent.append(chat)
        output = inspect_ai.model.ModelOutput.from_content("mockllm/model", answer(chat))
        # Without it, Inspect counts tokens with a package that downloads its data.
        tokens = {"input_tokens": 100, "output_tokens": 9, "total_tokens": 109}
        output.usage = inspect_ai.model.ModelUsage(**tokens)
        return output

    return inspect_ai.model.get_model("mockllm/model", custom_outputs=respond, memoize=False), sent
