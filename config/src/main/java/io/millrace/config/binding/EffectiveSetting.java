package io.millrace.config.binding;

/**
 * A setting in force, as text.
 *
 * @param path its key, such as {@code cache.disks[0].path}
 * @param value with secrets redacted; empty for an empty list or map
 */
public record EffectiveSetting(String path, String value) {}
