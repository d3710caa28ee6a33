"""Checks kubernetes.yaml against the schemas of Kubernetes, and its settings against each other: manifests.py FILE OUTPUT

Writes the ConfigMap's monitor.yaml to OUTPUT/monitor.yaml, and each secret to OUTPUT/NAME."""

import pathlib
import sys

import kubernetes_validate
import yaml

source, output = sys.argv[1], pathlib.Path(sys.argv[2])
documents = list(yaml.safe_load_all(pathlib.Path(source).read_text()))
kinds = {document["kind"]: document for document in documents}
for document in documents:
    # The schemas do not contain the operator's own kind.
    if document["kind"] != "ServiceMonitor":
        kubernetes_validate.validate(document, "1.29", strict=True)

container = kinds["Deployment"]["spec"]["template"]["spec"]["containers"][0]
secrets = kinds["Secret"]["stringData"]
labels = kinds["Deployment"]["spec"]["template"]["metadata"]["labels"]
monitor = kinds["ServiceMonitor"]["spec"]
assert kinds["Service"]["spec"]["selector"].items() <= labels.items()
assert monitor["selector"]["matchLabels"].items() <= kinds["Service"]["metadata"]["labels"].items()
assert {endpoint["port"] for endpoint in monitor["endpoints"]} <= {port["name"] for port in kinds["Service"]["spec"]["ports"]}
assert all(endpoint["authorization"]["credentials"]["key"] in secrets for endpoint in monitor["endpoints"])
assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
(output / "monitor.yaml").write_text(kinds["ConfigMap"]["data"]["monitor.yaml"])
for name, value in secrets.items():
    (output / name).write_text(value)
print(f"{len(documents) - 1} manifests are valid")
