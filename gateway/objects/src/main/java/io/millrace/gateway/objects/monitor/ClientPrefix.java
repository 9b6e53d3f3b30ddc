package io.millrace.gateway.objects.monitor;

/** A bucket or key prefix whose cached bytes are metered, under the bucket name that clients use. */
public record ClientPrefix(String bucket, String prefix) {}
