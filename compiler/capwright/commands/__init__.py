"""The commands: each module adds its own arguments and runs. They alone print, write and read the environment."""
