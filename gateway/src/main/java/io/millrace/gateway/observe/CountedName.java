package io.millrace.gateway.observe;

/** How clients name a bucket, or a prefix of one, of which it is counted what is cached. */
public record CountedName(String bucket, String prefix) {}
