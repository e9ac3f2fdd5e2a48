"""Every mutant. A new one is an entry in one of the four files."""

from tests.mutants.planted import MUTANTS as OF_THE_STANDARD_WORLD
from tests.mutants.planted_elsewhere import MUTANTS_ELSEWHERE
from tests.mutants.planted_intruders import MUTANTS_OF_INTRUDERS
from tests.mutants.planted_operators import MUTANTS_OF_OPERATORS

MUTANTS = (*OF_THE_STANDARD_WORLD, *MUTANTS_ELSEWHERE, *MUTANTS_OF_OPERATORS, *MUTANTS_OF_INTRUDERS)
