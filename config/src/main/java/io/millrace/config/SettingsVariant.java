package io.millrace.config;

/**
 * A settings record that was selected by the key {@code type}.
 *
 * @param type the value of the key {@code type}
 * @param settings the other keys, bound to the record that {@link SettingsVariants} has for the type
 */
public record SettingsVariant(String type, Record settings) {}
