package io.millrace.config;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Registry of the record classes for polymorphic parts of the settings, such as a backend, by the value of their key
 * {@code type}. Types are grouped in families; planned types are registered too. Immutable; keeps the order of the
 * calls on the builder.
 */
public final class SettingsVariantRegistry {
    private final Map<String, VariantFamily> families;
    private final Map<String, Class<? extends Record>> shared;

    private SettingsVariantRegistry(Map<String, VariantFamily> families, Map<String, Class<? extends Record>> shared) {
        this.families = families;
        this.shared = Map.copyOf(shared);
    }

    /** Returns an empty builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the available types with their records. */
    public Map<String, Class<? extends Record>> records(String family) {
        return Collections.unmodifiableMap(family(family).records);
    }

    /** Returns the planned types, each with what to do until it is available. */
    public Map<String, String> planned(String family) {
        return Collections.unmodifiableMap(family(family).planned);
    }

    /** Returns the record of the keys that all types of a family have, if it has any. */
    public Optional<Class<? extends Record>> shared(String family) {
        return Optional.ofNullable(shared.get(family));
    }

    private VariantFamily family(String name) {
        VariantFamily family = families.get(name);
        if (family == null) {
            throw new IllegalStateException("no variants for the family " + name);
        }
        return family;
    }

    private record VariantFamily(Map<String, Class<? extends Record>> records, Map<String, String> planned) {}

    /** A builder of the registry. Not thread-safe. */
    public static final class Builder {
        private final Map<String, VariantFamily> families = new LinkedHashMap<>();
        private final Map<String, Class<? extends Record>> shared = new HashMap<>();

        private Builder() {}

        /**
         * Adds an available type.
         *
         * @throws IllegalArgumentException if the family has the type already
         */
        public Builder add(String family, String type, Class<? extends Record> settings) {
            refuseSecond(family, type);
            of(family).records.put(type, settings);
            return this;
        }

        /**
         * Adds a planned type that operators may expect.
         *
         * @param remedy what to do until it is available, for the message and the reference page
         * @throws IllegalArgumentException if the family has the type already
         */
        public Builder addPlanned(String family, String type, String remedy) {
            refuseSecond(family, type);
            of(family).planned.put(type, remedy);
            return this;
        }

        /** Sets the record of the keys that all types of a family have. */
        public Builder addShared(String family, Class<? extends Record> settings) {
            shared.put(family, settings);
            return this;
        }

        /** Returns a registry of the types added so far. */
        public SettingsVariantRegistry build() {
            Map<String, VariantFamily> copy = new LinkedHashMap<>();
            families.forEach((name, family) -> copy.put(
                    name, new VariantFamily(new LinkedHashMap<>(family.records), new LinkedHashMap<>(family.planned))));
            return new SettingsVariantRegistry(copy, shared);
        }

        private VariantFamily of(String family) {
            return families.computeIfAbsent(
                    family, name -> new VariantFamily(new LinkedHashMap<>(), new LinkedHashMap<>()));
        }

        private void refuseSecond(String family, String type) {
            if (of(family).records.containsKey(type) || of(family).planned.containsKey(type)) {
                throw new IllegalArgumentException("two variants for " + family + " " + type);
            }
        }
    }
}
