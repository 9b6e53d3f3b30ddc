package io.millrace.config;

/**
 * A polymorphic part of the settings: its {@code type} and the settings record that this type selected.
 *
 * @param type the value of the key {@code type}
 * @param settings the other keys, bound to the record that {@link SettingsVariants} has for the type
 */
public record SettingsVariant(String type, Record settings) {}
