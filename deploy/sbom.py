#!/usr/bin/env python3
"""Writes the SBOM of a release (SPDX 2.3, JSON): sbom.py VERSION DEB WORKSPACE OUTPUT

WORKSPACE is SwiftPM's workspace-state.json: what is built into the program, besides Swift's own runtime. The system's
libraries are those that the .deb depends on. https://spdx.github.io/spdx-spec/v2.3/"""

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone

version, deb, workspace, output = sys.argv[1:]
created = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def package(name, version, location, **more):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": location, "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION", **more,
    }


with open(deb, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()
own = package("aasa-monitor", version, "NOASSERTION", licenseDeclared="Apache-2.0",
              checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
inside = []
for each in json.load(open(workspace))["object"]["dependencies"]:
    reference, state = each["packageRef"], each["state"].get("checkoutState", {})
    location, number = reference["location"], state.get("version", state.get("revision", "NOASSERTION"))
    purl = "pkg:swift/" + re.sub(r"^https://|\.git$", "", location) + "@" + number
    inside.append(package(reference["identity"], number, f"git+{location}@{state.get('revision', number)}",
                          externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]))
# Swift's runtime and Foundation are linked in, too.
toolchain = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
inside.append(package("swift", re.search(r"Swift version ([0-9.]+)", toolchain)[1], "https://www.swift.org/install/"))
depends = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], capture_output=True, text=True, check=True).stdout
system = [package("debian:" + name, wanted or "any", "NOASSERTION") for name, wanted in
          re.findall(r"([a-z0-9.+-]+)(?: \(([^)]*)\))?(?:,|$)", depends.split(", systemd")[0].strip())]
document = {
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"aasa-monitor-{version}",
    "documentNamespace": f"https://github.com/aasa-monitor/aasa-monitor/releases/{version}/{digest}",
    "creationInfo": {"created": created, "creators": ["Tool: deploy/sbom.py"]},
    "packages": [own] + sorted(inside, key=lambda each: each["name"]) + system,
    "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}]
    + [{"spdxElementId": own["SPDXID"], "relationshipType": "STATIC_LINK", "relatedSpdxElement": each["SPDXID"]} for each in inside]
    + [{"spdxElementId": own["SPDXID"], "relationshipType": "DYNAMIC_LINK", "relatedSpdxElement": each["SPDXID"]} for each in system],
}
with open(output, "w") as file:
    json.dump(document, file, indent=2)
    file.write("\n")
