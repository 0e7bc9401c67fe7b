"""Parts of the page of a spot: its form as texts, with undo, and the presets and templates that it offers."""
