package io.millrace.config;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Registry of the record classes for polymorphic parts of the settings, such as a backend, by the value of their key
 * {@code type}. Types are grouped in families. Immutable; keeps the order of the calls on the builder.
 */
public final class SettingsVariantRegistry {
    private final Map<String, Map<String, Class<? extends Record>>> families;
    private final Map<String, Class<? extends Record>> shared;

    private SettingsVariantRegistry(
            Map<String, Map<String, Class<? extends Record>>> families, Map<String, Class<? extends Record>> shared) {
        this.families = families;
        this.shared = Map.copyOf(shared);
    }

    /** Returns an empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the types of a family with their records. */
    public Map<String, Class<? extends Record>> records(String family) {
        Map<String, Class<? extends Record>> records = families.get(family);
        if (records == null) {
            throw new IllegalStateException("no variants for the family " + family);
        }
        return Collections.unmodifiableMap(records);
    }

    /** Returns the record of the keys that all types of a family have, if it has any. */
    public Optional<Class<? extends Record>> shared(String family) {
        return Optional.ofNullable(shared.get(family));
    }

    /** A builder of the registry. Not thread-safe. */
    public static final class Builder {
        private final Map<String, Map<String, Class<? extends Record>>> families = new LinkedHashMap<>();
        private final Map<String, Class<? extends Record>> shared = new HashMap<>();

        private Builder() {}

        /**
         * Adds a type.
         *
         * @throws IllegalArgumentException if the family has the type already
         */
        public Builder add(String family, String type, Class<? extends Record> settings) {
            Map<String, Class<? extends Record>> records =
                    families.computeIfAbsent(family, name -> new LinkedHashMap<>());
            if (records.putIfAbsent(type, settings) != null) {
                throw new IllegalArgumentException("two variants for " + family + " " + type);
            }
            return this;
        }

        /** Sets the record of the keys that all types of a family have. */
        public Builder addShared(String family, Class<? extends Record> settings) {
            shared.put(family, settings);
            return this;
        }

        /** Returns a registry of the types added so far. */
        public SettingsVariantRegistry build() {
            Map<String, Map<String, Class<? extends Record>>> copy = new LinkedHashMap<>();
            families.forEach((name, records) -> copy.put(name, new LinkedHashMap<>(records)));
            return new SettingsVariantRegistry(copy, shared);
        }
    }
}
