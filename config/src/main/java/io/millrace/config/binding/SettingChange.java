package io.millrace.config.binding;

/**
 * A difference between two versions of the settings.
 *
 * @param path the key, such as {@code buckets[imagenet].prefix}, or an element that is new or gone
 * @param before the value as text; empty if there was none
 * @param after the value as text; empty if there is none, and like {@code before} if the values differ in what is not
 *     shown, such as a secret
 * @param needsRestart whether the key needs a restart
 */
public record SettingChange(String path, Kind kind, String before, String after, boolean needsRestart) {
    /** The kind of a change. */
    public enum Kind {
        ADDED,
        REMOVED,
        CHANGED,
        REORDERED
    }
}
