"""Loads the configuration, the tokenizer and the weights' file of org/words with transformers, which has no torch here.

transformers_reads.py FOLDER: HF_ENDPOINT is Millrace's Hub port; the weights are compared with those below FOLDER/repositories.
"""

import pathlib
import sys

import transformers
from transformers import AutoConfig, AutoTokenizer
from transformers.utils import cached_file

config = AutoConfig.from_pretrained("org/words")
assert (config.model_type, config.hidden_size) == ("bert", 8), config
tokenizer = AutoTokenizer.from_pretrained("org/words")
tokens = tokenizer("the mill turns slowly")["input_ids"]
assert tokens == [1, 2, 3, 0], tokens
assert tokenizer.decode(tokens[:3]) == "the mill turns", tokenizer.decode(tokens)
weights = pathlib.Path(cached_file("org/words", "weights.bin"))
assert weights.read_bytes() == (pathlib.Path(sys.argv[1]) / "repositories/models/org/words/weights.bin").read_bytes()
print("transformers", transformers.__version__, "AutoConfig, AutoTokenizer, cached_file: as they are at the Hub")
