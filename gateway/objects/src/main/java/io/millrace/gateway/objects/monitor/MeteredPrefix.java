package io.millrace.gateway.objects.monitor;

/** A bucket or key prefix, by the names that clients use, whose cached bytes have meters of their own. */
public record MeteredPrefix(String bucket, String prefix) {}
