r"""Formulas: the part of LaTeX that scenes use, as MathML Core, which browsers draw without a library.

Known are letters, digits and operators, `^`, `_` and braces, \frac, \sqrt, \hat, \bar, \tilde, \text, \mathrm, \mathbf, \left and
\right, Greek letters, and the symbols below. Anything else raises, so that a formula is right or is not there.
"""

import re
from html import escape

__all__ = ["mathml"]

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[0-9]+(?:\.[0-9]+)?|\S|\s+")
GREEK_NAMES = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega varepsilon ell infty partial nabla
"""
GREEK = dict(zip(GREEK_NAMES.split(), "αβγδϵζηθικλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩεℓ∞∂∇"))
OPERATOR_NAMES = """
le ≤ ge ≥ ne ≠ in ∈ cdot ⋅ times × pm ± approx ≈ sim ∼ to → mid ∣ lVert ‖ rVert ‖ Vert ‖ | ‖ dots … ldots …
langle ⟨ rangle ⟩ cap ∩ cup ∪ setminus ∖ subseteq ⊆ propto ∝ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ { { } }
neg ¬ land ∧ lor ∨ perp ⟂ gg ≫ ll ≪ circ ∘ top ⊤
"""
OPERATORS = dict(zip(OPERATOR_NAMES.split()[::2], OPERATOR_NAMES.split()[1::2])) | {
    "quad": "\u2003",
    ",": "\u2009",
    ";": "\u2005",
}
LARGE = {"sum": "∑", "prod": "∏", "int": "∫", "max": "max", "min": "min", "argmax": "arg max", "argmin": "arg min"}
NAMES = ("log", "ln", "exp", "sin", "cos", "tanh", "sign", "det", "Pr")
ACCENTS = {"hat": "^", "bar": "‾", "tilde": "~", "vec": "→"}
STYLES = ("mathrm", "text", "mathbf", "operatorname", "mathcal")


class Reader:
    """Reads one formula from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, TOKEN.findall(text), 0

    def peek(self) -> str:
        """Return the next token that is no blank; "" at the end."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        if not token:
            raise ValueError(f"the formula {self.text!r} ends too early")
        self.at += 1
        return token

    def row(self, end: str) -> str:
        """Return what stands before `end`, which is read too."""
        parts = []
        while self.peek() != end:
            parts.append(self.scripted())
        if end:
            self.take()
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """Return an atom with what stands below and above it."""
        large = self.peek().removeprefix("\\") in LARGE
        base, below, above = self.atom(), "", ""
        while self.peek() in ("_", "^", "'"):
            match self.take():
                case "_":
                    below = self.argument()
                case "^":
                    above = self.argument()
                case _:
                    above = "<mo>′</mo>"
        under, over, both = ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
        if below and above:
            return f"<{both}>{base}{below}{above}</{both}>"
        if below:
            return f"<{under}>{base}{below}</{under}>"
        return f"<{over}>{base}{above}</{over}>" if above else base

    def argument(self) -> str:
        """Return a group in braces, or one atom."""
        if self.peek() == "{":
            self.take()
            return self.row("}")
        return self.atom()

    def words(self) -> str:
        """Return the letters of a group as they stand, blanks included."""
        self.take()
        parts = []
        while self.tokens[self.at] != "}":
            parts.append(self.tokens[self.at])
            self.at += 1
        self.at += 1
        return escape("".join(parts))

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            return self.row("}")
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        if token in "_^}":
            raise ValueError(f"the formula {self.text!r} has {token!r} where something to read was expected")
        return f"<mo>{escape({'-': '−', '*': '∗'}.get(token, token))}</mo>"

    def command(self, name: str) -> str:
        """Return what a command stands for."""
        if name == "frac":
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if name in ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo>{ACCENTS[name]}</mo></mover>'
        if name in STYLES:
            text = self.words()
            return f"<mtext>{text}</mtext>" if name == "text" else f'<mi mathvariant="normal">{text}</mi>'
        if name in ("left", "right"):
            token = self.take().removeprefix("\\")
            return "" if token == "." else f'<mo stretchy="true">{escape(OPERATORS.get(token, token))}</mo>'
        if name in GREEK:
            return f"<mi>{GREEK[name]}</mi>"
        if name in LARGE:
            return f"<mo>{LARGE[name]}</mo>"
        if name in NAMES:
            return f"<mi>{name}</mi><mo>\u2061</mo>"
        if name in OPERATORS:
            return f"<mo>{escape(OPERATORS[name])}</mo>"
        raise ValueError(f"the formula {self.text!r} has \\{name}, which is not known here")


def mathml(latex: str) -> str:
    r"""Return a formula as a `math` element.

    Examples
    --------
    >>> mathml(r"x_i^2")
    '<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>'
    """
    return f"<math>{Reader(latex).row('')}</math>"
