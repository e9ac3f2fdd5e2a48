"""The live state of every instance, pushed to the browsers that look at it."""
