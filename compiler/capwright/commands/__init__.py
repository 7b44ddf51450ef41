"""The commands: each module adds its own arguments and runs. They, and `cli` which calls them, alone print and
read the environment; they alone write what a user asks for."""
