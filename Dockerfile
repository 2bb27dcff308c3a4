FROM python:3.12-slim
RUN useradd --create-home explorer
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY .make .make
COPY .ci/constraints.txt .ci/constraints.txt
COPY deploy/requirements.txt deploy/requirements.txt
# Everything has the hash of the file that was tried, except torch, whose CPU build has an index of its
# own.
RUN pip install --no-cache-dir --no-deps --require-hashes --requirement deploy/requirements.txt \
    && index=$(TORCH=cpu python .make/torch_index.py) \
    && pip install --no-cache-dir --no-deps $index --requirement .ci/constraints.txt
COPY nip_core nip_core
COPY explorer explorer
COPY pages pages
RUN pip install --no-cache-dir --no-deps --no-build-isolation '.[llm,login,postgres]'
USER explorer
WORKDIR /home/explorer
# Here episodes are kept if no database is named; without a volume they would go with the container.
RUN mkdir -p .local/share/nip-explorer
VOLUME /home/explorer/.local/share/nip-explorer
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/healthz', timeout=3)"]
CMD ["nip-explorer", "--host", "0.0.0.0", "--no-browser"]
