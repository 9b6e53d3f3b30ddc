package io.millrace.config;

import java.util.Optional;

/**
 * A polymorphic part of the settings: its {@code type} and the settings record that this type selected.
 *
 * @param type the value of the key {@code type}
 * @param settings the other keys, bound to the record that {@link SettingsVariantRegistry} has for the type
 * @param shared the keys that all types of the family have; empty if the family has none
 */
public record SettingsVariant(String type, Record settings, Optional<Record> shared) {
    /** Settings without keys that all types have. */
    public SettingsVariant(String type, Record settings) {
        this(type, settings, Optional.empty());
    }
}
