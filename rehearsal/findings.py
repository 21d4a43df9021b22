"""What a rehearsal has to say: things that do not fit (findings) and things it changes on purpose (rewrites)."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """Something in the manifests that would fail, hang or be wasted on real slices: where, and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Rewrite:
    """A difference between the manifests and what is rehearsed: what, its text before and after (empty: left out), and why."""

    what: str
    before: str
    after: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.before or '(none)'} -> {self.after or '(left out)'} ({self.why})"


@dataclass
class Report:
    """Both lists, in the order of their discovery; a rewrite that repeats itself is kept once."""

    findings: list[Finding] = field(default_factory=list)
    rewrites: list[Rewrite] = field(default_factory=list)

    def find(self, where: str, what: str) -> None:
        finding = Finding(where, what)
        if finding not in self.findings:
            self.findings.append(finding)

    def rewrite(self, what: str, before: str, after: str, why: str) -> None:
        rewrite = Rewrite(what, before, after, why)
        if rewrite not in self.rewrites:
            self.rewrites.append(rewrite)
