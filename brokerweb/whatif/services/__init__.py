"""What what-ifs have done beside a request, what people do to assertions, and runs of them that are kept."""
