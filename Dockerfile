FROM python:3.12-slim
RUN useradd --create-home explorer
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY .make .make
COPY nip_core nip_core
COPY explorer explorer
COPY pages pages
RUN index=$(TORCH=cpu python .make/torch_index.py) \
    && pip install --no-cache-dir $index '.[llm,login,postgres]'
USER explorer
WORKDIR /home/explorer
EXPOSE 8501
CMD ["nip-explorer", "--host", "0.0.0.0", "--no-browser"]
