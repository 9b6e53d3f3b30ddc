package io.millrace.gateway.objects.monitor;

/** How clients name a bucket, or a prefix of one, of which it is counted what is cached. */
public record TrackedPrefix(String bucket, String prefix) {}
