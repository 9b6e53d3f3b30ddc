package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The state of a job at one moment, as received from the server.
 *
 * @param json the whole response
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

    /** Why it failed, or what else its owner should know; empty otherwise. */
    String message() {
        return json.text("message");
    }

    /** Whether its state will change by itself. */
    boolean isActive() {
        return ACTIVE.contains(state());
    }

    /** Whether all of it was done. */
    boolean isDone() {
        return state().equals("done");
    }

    /** Whether it is a prefetch that was done, but says that not all it fetched is cached, or that this is unknown. */
    boolean isCachedInPart() {
        return isDone()
                && !isDryRun()
                && kind().equals("prefetch")
                && !message().isEmpty();
    }

    /** Whether it failed because its selection matches no object, so that it cannot be resumed. */
    boolean hasEmptySelection() {
        return state().equals("failed") && isCounted() && found() == 0;
    }

    /** Whether it only counts what it would do. */
    boolean isDryRun() {
        return json.object("request").flag("dryRun");
    }

    long activeMillis() {
        return json.number("activeMillis");
    }

    /** Number of selected objects found so far. */
    long found() {
        return progress("found");
    }

    long foundBytes() {
        return progress("foundBytes");
    }

    /** Whether {@link #found} is the total. */
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

    /** Number of objects that are done, skipped or failed. */
    long finished() {
        return done() + skipped() + failed();
    }

    /** Bytes of objects that failed, where known. */
    long failedBytes() {
        return progress("failedBytes");
    }

    /** Bytes of objects that are done, skipped or failed, and bytes already transferred of others. */
    long passedBytes() {
        return doneBytes() + progress("skippedBytes") + failedBytes() + progress("underWayBytes");
    }

    /** How much is done; empty while the total is unknown. */
    OptionalDouble percent() {
        return number("percent");
    }

    /** Rate over the last seconds; empty unless the job is working. */
    OptionalDouble objectsPerSecond() {
        return number("objectsPerSecond");
    }

    /** Transfer rate over the last seconds; empty unless the job is working. */
    OptionalDouble bytesPerSecond() {
        return number("bytesPerSecond");
    }

    /** Estimated time until the end; empty while there is no estimate. */
    Optional<Duration> timeLeft() {
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
