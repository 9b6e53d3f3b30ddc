package io.millrace.config;

/**
 * A settings record with rules that concern more than one key. A rule about one value belongs in the value's own type or
 * the record's constructor; this is for what only the whole shows.
 */
public interface Checked {
    /**
     * Adds what is wrong. Called once, when the record has been made; keys with problems of their own then hold their
     * default, and broken elements are missing from their list or map. A rule about what is missing asks
     * {@link Problems#reported} first, so that one mistake is not reported twice.
     */
    void check(Problems problems);
}
