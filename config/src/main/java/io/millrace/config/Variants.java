package io.millrace.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The types an operator may write under {@code type}, family by family, each with the record of its keys; and those that
 * are known by name but not built yet. Immutable; order is that of the calls on the builder.
 */
public final class Variants {
    private final Map<String, Family> families;

    private Variants(Map<String, Family> families) {
        this.families = families;
    }

    /** A builder without any family. */
    public static Builder builder() {
        return new Builder();
    }

    /** The types that can be used, with their records. */
    Map<String, Class<? extends Record>> records(String family) {
        return Collections.unmodifiableMap(family(family).records);
    }

    /** The types that cannot be used yet, each with what to do meanwhile. */
    Map<String, String> notYet(String family) {
        return Collections.unmodifiableMap(family(family).notYet);
    }

    private Family family(String name) {
        Family family = families.get(name);
        if (family == null) {
            throw new IllegalStateException("no variants for the family " + name);
        }
        return family;
    }

    private record Family(Map<String, Class<? extends Record>> records, Map<String, String> notYet) {}

    /** Collects variants. Not for use by several threads. */
    public static final class Builder {
        private final Map<String, Family> families = new LinkedHashMap<>();

        private Builder() {}

        /**
         * A type that can be used.
         *
         * @throws IllegalArgumentException if the family has the type already
         */
        public Builder add(String family, String type, Class<? extends Record> settings) {
            refuseSecond(family, type);
            of(family).records.put(type, settings);
            return this;
        }

        /**
         * A type that operators may expect and that is not there yet.
         *
         * @param remedy what to do meanwhile: a sentence that goes into the message and onto the reference page
         * @throws IllegalArgumentException if the family has the type already
         */
        public Builder notYet(String family, String type, String remedy) {
            refuseSecond(family, type);
            of(family).notYet.put(type, remedy);
            return this;
        }

        /** What was added so far. */
        public Variants build() {
            Map<String, Family> copy = new LinkedHashMap<>();
            families.forEach((name, family) -> copy.put(
                    name, new Family(new LinkedHashMap<>(family.records), new LinkedHashMap<>(family.notYet))));
            return new Variants(copy);
        }

        private Family of(String family) {
            return families.computeIfAbsent(family, name -> new Family(new LinkedHashMap<>(), new LinkedHashMap<>()));
        }

        private void refuseSecond(String family, String type) {
            if (of(family).records.containsKey(type) || of(family).notYet.containsKey(type)) {
                throw new IllegalArgumentException("two variants for " + family + " " + type);
            }
        }
    }
}
