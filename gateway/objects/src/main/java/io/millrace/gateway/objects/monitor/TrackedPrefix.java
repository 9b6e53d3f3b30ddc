package io.millrace.gateway.objects.monitor;

/** A tracked bucket or prefix by its name for clients. */
public record TrackedPrefix(String bucket, String prefix) {}
