package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * A job at a moment, as the server tells it.
 *
 * @param json all of it
 */
record JobSnapshot(JsonObject json) {
    private static final Set<String> ACTIVE = Set.of("submitted", "planning", "running", "pausing", "cancelling");

    String id() {
        return json.text("id");
    }

    String kind() {
        return json.text("kind");
    }

    String state() {
        return json.text("state");
    }

    /** Why it failed; empty otherwise. */
    String message() {
        return json.text("message");
    }

    /** Whether its state will change without anybody's help. */
    boolean isActive() {
        return ACTIVE.contains(state());
    }

    /** Whether all of it was done. */
    boolean isDone() {
        return state().equals("done");
    }

    /** Whether its selection names no object, so that there is nothing to go on with. */
    boolean hasSelectedNothing() {
        return state().equals("failed") && isCounted() && found() == 0;
    }

    /** Whether it only counts. */
    boolean isDryRun() {
        return json.object("request").flag("dryRun");
    }

    long activeMillis() {
        return json.number("activeMillis");
    }

    /** Objects it is about, as far as they have been counted. */
    long found() {
        return progress("found");
    }

    long foundBytes() {
        return progress("foundBytes");
    }

    /** Whether {@link #found} is all. */
    boolean isCounted() {
        return json.object("progress").flag("counted");
    }

    long done() {
        return progress("done");
    }

    long doneBytes() {
        return progress("doneBytes");
    }

    long skipped() {
        return progress("skipped");
    }

    long failed() {
        return progress("failed");
    }

    long movedBytes() {
        return progress("movedBytes");
    }

    /** Objects that had their turn. */
    long ended() {
        return done() + skipped() + failed();
    }

    /** Bytes of objects that had their turn, and those that have been transferred of others. */
    long passedBytes() {
        return doneBytes() + progress("skippedBytes") + progress("failedBytes") + progress("underWayBytes");
    }

    /** How much is done; empty while nobody knows how much there is. */
    OptionalDouble percent() {
        return number("percent");
    }

    /** Over the last seconds; empty unless it works. */
    OptionalDouble objectsPerSecond() {
        return number("objectsPerSecond");
    }

    /** Bytes that moved, over the last seconds; empty unless it works. */
    OptionalDouble bytesPerSecond() {
        return number("bytesPerSecond");
    }

    /** Time until the end at this speed; empty while that cannot be told. */
    Optional<Duration> left() {
        return json.has("secondsLeft") ? Optional.of(Duration.ofSeconds(json.number("secondsLeft"))) : Optional.empty();
    }

    private OptionalDouble number(String name) {
        return json.fields().get(name) instanceof Number number
                ? OptionalDouble.of(number.doubleValue())
                : OptionalDouble.empty();
    }

    private long progress(String name) {
        return json.object("progress").number(name);
    }
}
