"""Configures the bundle that umoci unpacked as kubernetes.yaml would run it: bundle.py BUNDLE SOURCE:TARGET[:ro]...

The root is read-only, without capabilities or new privileges. The network is the machine's, for servers on loopback."""

import json
import pathlib
import sys

path = pathlib.Path(sys.argv[1], "config.json")
# Keeps umoci's own file: the next run may have other mounts.
original = path.with_name("image.json")
if not original.exists():
    path.rename(original)
config = json.loads(original.read_text())
process = config["process"]
assert process["user"] == {"uid": 963, "gid": 963}, process["user"]
assert process["args"] == ["aasa-monitor", "run", "--config", "/etc/aasa-monitor/monitor.yaml"], process["args"]
assert process["cwd"] == "/var/lib/aasa-monitor", process["cwd"]
assert "RUNTIME_DIRECTORY=/run/aasa-monitor" in process["env"], process["env"]
process |= {"terminal": False, "noNewPrivileges": True}
process["capabilities"] = {kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")}
config["root"]["readonly"] = True
config["linux"]["namespaces"] = [one for one in config["linux"]["namespaces"] if one["type"] not in ("network", "cgroup")]
config["mounts"] = [one for one in config["mounts"] if one["destination"] != "/sys/fs/cgroup"]
config["mounts"].append({"destination": "/run/aasa-monitor", "type": "tmpfs", "source": "tmpfs", "options": ["mode=0700", "uid=963", "gid=963"]})
for mount in sys.argv[2:]:
    source, target, *options = mount.split(":")
    config["mounts"].append({"destination": target, "type": "bind", "source": source, "options": ["rbind", *options]})
path.write_text(json.dumps(config))
