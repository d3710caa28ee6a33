#!/bin/sh
# action.yml, gitlab.yml and the Jenkinsfile run this script. It runs in a terminal too, in the root of the repository:
#
#   aasa-ci.sh check     lint, match and diff; fails if one of them fails
#   aasa-ci.sh lint      mistakes: annotations on GitHub, text elsewhere; lint.sarif and codequality.json
#   aasa-ci.sh match     the contract: each line of AASA_EXPECT must hold; match.xml
#   aasa-ci.sh diff      what the change does to links, compared with AASA_BASE; comment.md
#   aasa-ci.sh comment   puts comment.md under the pull request of GitHub or the merge request of GitLab
#   aasa-ci.sh watch     after a deploy: waits until Apple's CDN serves what AASA_DOMAIN serves
#   aasa-ci.sh install   downloads the package, checks its hash, installs it (Debian and its derivatives)
#
# All settings come from the environment, tokens too: every process can read a command line.
#   AASA_FILE            the file, relative to the root of the repository
#   AASA_DOMAIN          the domain that serves it
#   AASA_EXPECT          a file of expectations, one per line: URL=APPID or URL=nothing; # begins a comment
#   AASA_IGNORE          rules of lint to leave out, separated by spaces or commas
#   AASA_STRICT          true: warnings fail too
#   AASA_BASE            the commit to compare with (default: where the request branched off)
#   AASA_REPORTS         where the reports go (default: aasa-reports)
#   AASA_MAX_TIME        how many seconds `watch` waits (default: 900)
#   AASA_PACKAGE_URL, AASA_PACKAGE_SHA256   the .deb, and its hash
#   GH_TOKEN             GitHub: a token that may write comments
#   AASA_GITLAB_TOKEN    GitLab: a token with the scope `api`, as CI_JOB_TOKEN may not write comments
set -euf

fail() {
    echo "aasa-ci: $*" >&2
    exit 64
}

need() {
    eval "value=\${$1:-}"
    [ -n "$value" ] || fail "$1 is not set: $2"
}

on_github() { [ "${GITHUB_ACTIONS:-}" = true ]; }

reports=${AASA_REPORTS:-aasa-reports}

# Files of an earlier run, or of the repository itself, must not look like results of this run.
fresh() {
    need AASA_FILE "the path of the file in the repository"
    case $AASA_FILE in /*) fail "AASA_FILE: '$AASA_FILE' is not relative to the root of the repository" ;; esac
    mkdir -p "$reports"
    for name in "$@"; do rm -f "$reports/$name"; done
}

lint() {
    fresh lint.sarif codequality.json
    set -- "$AASA_FILE"
    for rule in $(printf '%s' "${AASA_IGNORE:-}" | tr ',' ' '); do set -- "$@" --ignore "$rule"; done
    if [ "${AASA_STRICT:-}" = true ]; then set -- "$@" --strict; fi
    # The exit code comes from the run whose output people see.
    aasa-monitor lint "$@" --format sarif >"$reports/lint.sarif" 2>/dev/null || :
    aasa-monitor lint "$@" --format codequality >"$reports/codequality.json" 2>/dev/null || :
    format=text
    if on_github; then format=github; fi
    code=0
    aasa-monitor lint "$@" --format "$format" || code=$?
    if [ "$code" = 1 ]; then
        echo "aasa-ci: 'aasa-monitor lint --fix $AASA_FILE' fixes what has only one right answer" >&2
    fi
    return "$code"
}

match() {
    fresh match.xml
    [ -n "${AASA_EXPECT:-}" ] || return 0
    [ -r "$AASA_EXPECT" ] || fail "AASA_EXPECT: '$AASA_EXPECT' cannot be read"
    set -- "$AASA_FILE"
    if [ -n "${AASA_DOMAIN:-}" ]; then set -- "$@" --domain "$AASA_DOMAIN"; fi
    count=$#
    # Spaces around a line and Windows line ends do not count.
    blanks=$(printf ' \t\r')
    while IFS=$blanks read -r line || [ -n "$line" ]; do
        case $line in '' | '#'*) continue ;; esac
        set -- "$@" "--expect-url=$line"
    done <"$AASA_EXPECT"
    # An empty contract would always hold.
    [ $# -gt "$count" ] || fail "AASA_EXPECT: '$AASA_EXPECT' has no expectation"
    aasa-monitor match "$@" --format junit >"$reports/match.xml" 2>/dev/null || :
    aasa-monitor match "$@"
}

base() {
    if [ -n "${AASA_BASE:-}" ]; then
        printf '%s\n' "$AASA_BASE"
    elif [ -n "${CI_MERGE_REQUEST_DIFF_BASE_SHA:-}" ]; then
        printf '%s\n' "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
    else
        # GitHub's name for the branch, and that of Jenkins.
        branch=${GITHUB_BASE_REF:-${CHANGE_TARGET:-}}
        [ -n "$branch" ] || fail "AASA_BASE is not set, and this is not a pull request: name the commit to compare with"
        git merge-base "origin/$branch" HEAD \
            || fail "the history does not reach the branch '$branch'; fetch all of it (GitHub: fetch-depth: 0)"
    fi
}

diff() {
    fresh before comment.md body.md
    commit=$(base) || return $?
    git rev-parse --quiet --verify "$commit^{commit}" >/dev/null || fail "there is no commit '$commit' here; fetch it"
    # A new file is compared with an empty one.
    git show "$commit:./${AASA_FILE#./}" >"$reports/before" 2>/dev/null || echo '{}' >"$reports/before"
    code=0
    aasa-monitor diff "$reports/before" "$AASA_FILE" --format markdown >"$reports/comment.md" || code=$?
    # 1: they differ. 65: one of them is not an association file; lint reports that for the new one.
    case $code in 0 | 1 | 65) ;; *) return "$code" ;; esac
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$reports/comment.md" >>"$GITHUB_STEP_SUMMARY"; fi
    head -n 1 "$reports/comment.md"
}

check() {
    code=0
    for step in lint match diff; do
        # Each step runs in its own shell, even if another one failed.
        ("$step") || {
            failed=$?
            [ "$code" != 0 ] || code=$failed
        }
    done
    return "$code"
}

comment() {
    [ -s "$reports/comment.md" ] || return 0
    # The next run finds its comment by this marker.
    marker="<!-- aasa-monitor ${AASA_FILE:-} -->"
    { cat "$reports/comment.md" && printf '\n%s\n' "$marker"; } >"$reports/body.md"
    if on_github; then
        github || echo "::warning title=aasa-monitor::the comment could not be written (the token of a fork may not write); its text is in the summary of the job"
    else
        gitlab
    fi
}

github() {
    number=${GITHUB_REF#refs/pull/}
    [ "$number" != "$GITHUB_REF" ] || return 0
    comments="repos/$GITHUB_REPOSITORY/issues"
    # Only a comment by a bot or a member: a stranger could write the marker too, and change the text later.
    id=$(MARKER=$marker gh api --paginate "$comments/${number%%/*}/comments" \
        --jq '.[] | select((.body | contains(env.MARKER)) and (.user.type == "Bot"
            or (.author_association | IN("OWNER", "MEMBER", "COLLABORATOR")))) | .id') || return 1
    id=$(printf '%s\n' "$id" | head -n 1)
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "$comments/comments/$id" -F "body=@$reports/body.md"
    else
        gh api --silent "$comments/${number%%/*}/comments" -F "body=@$reports/body.md"
    fi
}

gitlab() {
    [ -n "${CI_MERGE_REQUEST_IID:-}" ] || return 0
    need AASA_GITLAB_TOKEN "a masked variable with a project access token of the scope api"
    notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
    # Only a note by the token's own user: a stranger could write the marker too, and change the text later.
    user=$(ask "$CI_API_V4_URL/user")
    user=$(printf '%s' "$user" | jq -r .id)
    list=$(ask "$notes?per_page=100&order_by=created_at&sort=asc")
    id=$(printf '%s' "$list" | MARKER=$marker OWN=$user jq -r \
        '[.[] | select((.body | contains(env.MARKER)) and "\(.author.id)" == env.OWN) | .id][0] // empty')
    if [ -n "$id" ]; then
        ask "$notes/$id" --request PUT --data-urlencode "body@$reports/body.md" >/dev/null
    else
        ask "$notes" --data-urlencode "body@$reports/body.md" >/dev/null
    fi
}

# Passes the token through a pipe. `printf` is built into the shell, so no process shows the token.
ask() { printf 'header = "PRIVATE-TOKEN: %s"\n' "$AASA_GITLAB_TOKEN" | curl -q -fsS --retry 3 --config - "$@"; }

watch() {
    need AASA_DOMAIN "the domain that serves the file"
    format=text
    if on_github; then format=github; fi
    aasa-monitor watch "$AASA_DOMAIN" --max-time "${AASA_MAX_TIME:-900}" --format "$format"
}

install() {
    if command -v aasa-monitor >/dev/null; then return 0; fi
    need AASA_PACKAGE_URL "the URL of the .deb"
    need AASA_PACKAGE_SHA256 "the SHA-256 of the .deb"
    folder=$(mktemp -d)
    # apt reads the package as its own user.
    chmod 755 "$folder"
    curl -q -fsSL --proto '=https' --retry 3 -o "$folder/aasa-monitor.deb" "$AASA_PACKAGE_URL"
    echo "$AASA_PACKAGE_SHA256  $folder/aasa-monitor.deb" | sha256sum --check --quiet \
        || fail "the package does not match AASA_PACKAGE_SHA256; nothing was installed"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends "$folder/aasa-monitor.deb"
    rm -rf "$folder"
}

case ${1:-} in
check | lint | match | diff | comment | watch | install) "$1" ;;
*) fail "usage: aasa-ci.sh check|lint|match|diff|comment|watch|install" ;;
esac
