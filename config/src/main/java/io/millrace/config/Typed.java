package io.millrace.config;

/**
 * A value whose key {@code type} chose its record.
 *
 * @param type what the operator wrote under {@code type}
 * @param settings the other keys, bound to the record that {@link Variants} has for the type
 */
public record Typed(String type, Record settings) {}
