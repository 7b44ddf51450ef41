"""What several tests share: documents, programs and trees to test with, and a browser."""
