"""Every mutant. A new one is an entry in one of the two files."""

from tests.mutants.planted import MUTANTS as OF_THE_STANDARD_WORLD
from tests.mutants.planted_elsewhere import MUTANTS_ELSEWHERE

MUTANTS = (*OF_THE_STANDARD_WORLD, *MUTANTS_ELSEWHERE)
