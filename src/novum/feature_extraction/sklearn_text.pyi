from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

import numpy as np

from novum.base.sklearn_base import BaseEstimator

class Vectorizer(BaseEstimator):
    input: str
    encoding: str
    decode_error: str
    strip_accents: Any
    lowercase: bool
    preprocessor: Any
    tokenizer: Any
    stop_words: Any
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: Any
    binary: bool
    dtype: Any
    def build_analyzer(self) -> Callable[..., Any]: ...
    def build_preprocessor(self) -> Callable[..., Any]: ...
    def build_tokenizer(self) -> Callable[..., Any]: ...
    def decode(self, doc: Any) -> str: ...
    def get_stop_words(self) -> Any: ...
    def fit(self, raw_documents: Iterable[Any], y: Any = None) -> Self: ...
    def fit_transform(self, raw_documents: Iterable[Any], y: Any = None) -> Any: ...
    def transform(self, raw_documents: Iterable[Any]) -> Any: ...

class CountVectorizer(Vectorizer):
    vocabulary_: dict[str, int]
    fixed_vocabulary_: bool
    max_df: float
    min_df: float
    max_features: int | None
    vocabulary: Any
    def __init__(
        self,
        *,
        input: Literal["filename", "file", "content"] = "content",
        encoding: str = "utf-8",
        decode_error: Literal["strict", "ignore", "replace"] = "strict",
        strip_accents: Literal["ascii", "unicode"] | Callable[..., Any] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[..., Any] | None = None,
        tokenizer: Callable[..., Any] | None = None,
        stop_words: Literal["english"] | list[str] | None = None,
        token_pattern: str | None = ...,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Literal["word", "char", "char_wb"] | Callable[..., Any] = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = ...,
    ) -> None: ...
    def inverse_transform(self, X: Any) -> list[np.ndarray]: ...
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...

class TfidfVectorizer(CountVectorizer):
    idf_: np.ndarray
    norm: str | None
    use_idf: bool
    smooth_idf: bool
    sublinear_tf: bool
    def __init__(
        self,
        *,
        input: Literal["filename", "file", "content"] = "content",
        encoding: str = "utf-8",
        decode_error: Literal["strict", "ignore", "replace"] = "strict",
        strip_accents: Literal["ascii", "unicode"] | Callable[..., Any] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[..., Any] | None = None,
        tokenizer: Callable[..., Any] | None = None,
        analyzer: Literal["word", "char", "char_wb"] | Callable[..., Any] = "word",
        stop_words: Literal["english"] | list[str] | None = None,
        token_pattern: str | None = ...,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = ...,
        norm: Literal["l1", "l2"] | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
    ) -> None: ...

class HashingVectorizer(Vectorizer):
    n_features: int
    norm: str | None
    alternate_sign: bool
    def __init__(
        self,
        *,
        input: Literal["filename", "file", "content"] = "content",
        encoding: str = "utf-8",
        decode_error: Literal["strict", "ignore", "replace"] = "strict",
        strip_accents: Literal["ascii", "unicode"] | Callable[..., Any] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[..., Any] | None = None,
        tokenizer: Callable[..., Any] | None = None,
        stop_words: Literal["english"] | list[str] | None = None,
        token_pattern: str | None = ...,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Literal["word", "char", "char_wb"] | Callable[..., Any] = "word",
        n_features: int = ...,
        binary: bool = False,
        norm: Literal["l1", "l2"] | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = ...,
    ) -> None: ...
    def partial_fit(self, X: Iterable[Any], y: Any = None) -> Self: ...
