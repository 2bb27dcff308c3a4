"""Models that answer at once, asked by Inspect, and the chats that they were sent."""

from inspect_ai.model import ModelOutput, ModelUsage, get_model

from tests.explorer.players.misbehaving import sensible


def mock(answer=sensible):
    """Return a model, and the list of the chats that it is sent."""
    sent = []

    def respond(messages, tools, tool_choice, config):
        chat = [{"role": message.role, "content": message.text} for message in messages]
        sent.append(chat)
        output = ModelOutput.from_content("mockllm/model", answer(chat))
        # Without it, Inspect counts tokens with a package that downloads its data.
        output.usage = ModelUsage(input_tokens=100, output_tokens=9, total_tokens=109)
        return output

    return get_model("mockllm/model", custom_outputs=respond, memoize=False), sent
