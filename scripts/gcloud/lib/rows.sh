# shellcheck shell=bash disable=SC2034,SC2153 # variables are shared with the scripts that source this
# infrastructure.tsv: one resource a line, a kind and tab-separated key=value (docs/interfaces.md).

TAB=$'\t'

# check_rows FILE: prints every problem of the file as `file:line: …`; fails when there is one.
check_rows() {
  if [ ! -f "$1" ]; then
    printf '%s: not found: run npm run synth -- %s, or name the directory that holds infrastructure.tsv\n' \
      "$1" "$(dirname "$1")" >&2
    return 1
  fi
  # The table of keys: kind, then keys; * marks a key that must have a value, {a,b} the values allowed.
  awk -v file="$1" '
    BEGIN {
      FS = "\t"
      define("project", "id* region* zone*")
      define("api", "name*")
      define("network", "name* mtu subnetMode{custom} create*{true,false}")
      define("subnet", "name* network* region* range* create*{true,false}")
      define("firewall", "name* network* sourceRanges* allow* create*{true,false}")
      define("cluster", "name* mode*{standard,autopilot} location* version* create*{true,false} addons dataplaneV2{true,false} multiNetworking{true,false} workloadPool imageStreaming{true,false} defaultMachineType defaultNodes")
      define("placement-policy", "name* region* type*{HIGH_THROUGHPUT} topology*")
      define("node-pool", "name* role*{cpu,tpu} zone* machineType* nodes* autoscaling*{true,false} minNodes maxNodes topology placementPolicy threadsPerCore capacity* capacityFlags capacityFields labels taints networkProfile{auto} additionalNetworks metadata{GKE_METADATA} slice runs")
      define("bucket", "name* location* create*{true,false} uniformAccess{true,false} hierarchicalNamespace{true,false}")
      define("namespace", "name* create*{true,false}")
      define("service-account", "name* namespace* create*{true,false}")
      define("bucket-role", "bucket* role* namespace* serviceAccount* use*")
      define("repository", "name* location* format*{docker} create*{true,false}")
      define("image", "name* dockerfile* runs")
      define("secret", "name* key* namespace* hubToken*{true,false}")
      bad = 0
    }
    function define(kind, list,    i, n, part, key, values) {
      n = split(list, part, " ")
      order[kind] = n
      for (i = 1; i <= n; i++) {
        values = ""
        key = part[i]
        if (match(key, /\{.*\}/)) { values = substr(key, RSTART + 1, RLENGTH - 2); key = substr(key, 1, RSTART - 1) }
        if (sub(/\*$/, "", key)) required[kind, key] = 1
        known[kind, key] = 1
        allowed[kind, key] = values
        name_at[kind, i] = key
        names[kind] = names[kind] (i > 1 ? ", " : "") key
      }
    }
    function problem(text) { printf "%s:%d: %s\n", file, NR, text; bad++ }
    /^#/ || /^[ ]*$/ { next }
    {
      kind = $1
      if (!(kind in order)) { problem("kind \"" kind "\" is unknown: use one of those in docs/interfaces.md"); next }
      count[kind]++
      split("", seen)
      for (i = 2; i <= NF; i++) {
        at = index($i, "=")
        if (at < 2) { problem(kind ": \"" $i "\" is not key=value"); continue }
        key = substr($i, 1, at - 1)
        value = substr($i, at + 1)
        if (!((kind, key) in known)) { problem(kind ": key \"" key "\" is unknown: allowed are " names[kind]); continue }
        if (key in seen) problem(kind ": key \"" key "\" stands twice")
        seen[key] = value
        if (value != "" && allowed[kind, key] != "" && index("," allowed[kind, key] ",", "," value ",") == 0)
          problem(kind ": " key " is \"" value "\": allowed are " allowed[kind, key])
        if (value ~ /[|"\\`$]/)
          problem(kind ": " key " holds a character that no name of Google Cloud has: " value)
      }
      for (i = 1; i <= order[kind]; i++) {
        key = name_at[kind, i]
        if (((kind, key) in required) && (!(key in seen) || seen[key] == ""))
          problem(kind ": key \"" key "\" has no value: it is needed")
      }
      # A Secret stands in a line for each of its keys that is read.
      label = kind == "secret" ? seen["name"] " key " seen["key"] : seen["name"]
      id = kind SUBSEP label SUBSEP seen["namespace"]
      if (("name" in seen) && seen["name"] != "") {
        if (id in first) problem(kind ": \"" label "\" stands in line " first[id] " too")
        else first[id] = NR
      }
      if (kind == "node-pool") {
        fields = seen["capacityFields"]
        gsub(/=[^,]*/, "", fields)
        if (!(kind in asked)) asked[kind] = fields
        if (fields != asked[kind]) problem("node-pool: capacityFields are " fields ", and those of the pools before are " asked[kind] ": all pools have the same")
      }
      if (kind == "node-pool" && seen["autoscaling"] == "true" && (seen["minNodes"] == "" || seen["maxNodes"] == ""))
        problem("node-pool: autoscaling needs minNodes and maxNodes")
      if (kind == "cluster" && seen["mode"] == "standard" && seen["create"] == "true" && (seen["defaultMachineType"] == "" || seen["defaultNodes"] == ""))
        problem("cluster: a standard cluster to create needs defaultMachineType and defaultNodes")
      if (kind == "node-pool" && cluster_mode == "autopilot") problem("node-pool: an autopilot cluster has none")
      if (kind == "cluster") cluster_mode = seen["mode"]
    }
    END {
      if (count["project"] != 1) { printf "%s: %d lines of kind project: exactly one is needed\n", file, count["project"]; bad++ }
      if (count["cluster"] != 1) { printf "%s: %d lines of kind cluster: exactly one is needed\n", file, count["cluster"]; bad++ }
      if (count["repository"] > 1) { printf "%s: %d lines of kind repository: at most one is possible\n", file, count["repository"]; bad++ }
      if (count["image"] > 0 && count["repository"] == 0) { printf "%s: there are images, but no line of kind repository to push them to\n", file; bad++ }
      exit bad > 0
    }
  ' "$1" >&2
}

# rows KIND: the lines of that kind, in order.
rows() {
  awk -v kind="$1" 'BEGIN { FS = "\t" } $1 == kind' "$TABLE"
}

# field ROW KEY: the value, empty when unset.
field() {
  local rest=$TAB$1$TAB
  case $rest in
    *"$TAB$2="*) ;;
    *) return 0 ;;
  esac
  rest=${rest#*"$TAB$2="}
  printf '%s' "${rest%%"$TAB"*}"
}
