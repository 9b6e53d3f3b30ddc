package io.millrace.gateway.agreement;

/** A change of one key of the agreed map. */
sealed interface Change {
    /** The key that is changed. */
    String key();

    /** Gives a key a value, whether or not it had one. */
    record Put(String key, String value) implements Change {
        public Put {
            AgreedLimits.checkKey(key);
            AgreedLimits.checkValue(value);
        }
    }

    /** Removes a key, which need not be there. */
    record Delete(String key) implements Change {
        public Delete {
            AgreedLimits.checkKey(key);
        }
    }
}
