"""Chat templates like those of models: one that takes anything, and the strict kinds."""

# Takes any messages, and drops the speaker's name.
CHATML = """
{%- for m in messages %}
{{- '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""
# One system message, at the beginning, and at least one user message.
QWEN = """
{%- set asked = namespace(by_user=false) %}
{%- for m in messages %}
{%- if m['role'] == 'system' and not loop.first %}
{{- raise_exception('System message must be at the beginning.') }}{% endif %}
{%- if m['role'] == 'user' %}{% set asked.by_user = true %}{% endif %}
{{- '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}
{%- endfor %}
{%- if not asked.by_user %}{{ raise_exception('No user query found in messages.') }}{% endif %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""
# User and assistant in turn; the system message is merged into the first user message.
LLAMA = """
{%- if messages[0]['role'] == 'system' %}
{%- set system = messages[0]['content'] %}{% set turns = messages[1:] %}
{%- else %}{% set system = '' %}{% set turns = messages %}{% endif %}
{%- for m in turns %}
{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif %}
{%- if m['role'] == 'user' %}
{%- set before = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' if loop.first and system else '' %}
{{- bos_token + '[INST] ' + before + m['content'] + ' [/INST]' }}
{%- else %}{{ ' ' + m['content'] + ' ' + eos_token }}{% endif %}
{%- endfor %}
"""
# The same, and the last message must be the user's.
MISTRAL = """
{%- for m in messages %}
{%- if not loop.first and (m['role'] == 'user') == (loop.index0 % 2 == 0) %}
{{- raise_exception('Roles must alternate.') }}{% endif %}
{{- '[' + m['role'] + ']' + m['content'] }}
{%- endfor %}
{%- if messages[-1]['role'] != 'user' %}
{{- raise_exception('Last message must be from user.') }}{% endif %}
"""
# No system message at all.
GEMMA = """
{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
{{- raise_exception('System role not supported') }}{% endif %}
{%- for m in messages %}
{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{%- endif %}
{%- set role = 'model' if m['role'] == 'assistant' else m['role'] %}
{{- '<start_of_turn>' + role + '\\n' + m['content'] + '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}
"""
