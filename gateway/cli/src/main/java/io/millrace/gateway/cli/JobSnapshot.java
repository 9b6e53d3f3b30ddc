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
public record JobSnapshot(JsonObject json) {
    private static final Set<String> ACTIVE = Set.of("submitted", "planning", "running", "pausing", "cancelling");

    public String id() {
        return json.text("id");
    }

    public String kind() {
        return json.text("kind");
    }

    public String state() {
        return json.text("state");
    }

    /** Why it failed, or what else its owner should know; empty otherwise. */
    public String message() {
        return json.text("message");
    }

    /** Whether its state will change by itself. */
    public boolean isActive() {
        return ACTIVE.contains(state());
    }

    /** Whether all of it was done. */
    public boolean isDone() {
        return state().equals("done");
    }

    /** Whether it is a prefetch that was done, but says that not all it fetched is cached, or that this is unknown. */
    public boolean isCachedInPart() {
        return isDone()
                && !isDryRun()
                && kind().equals("prefetch")
                && !message().isEmpty();
    }

    /** Whether it failed because its selection matches no object, so that it cannot be resumed. */
    public boolean hasEmptySelection() {
        return state().equals("failed") && isCounted() && found() == 0;
    }

    /** Whether it only counts what it would do. */
    public boolean isDryRun() {
        return json.object("request").flag("dryRun");
    }

    public long activeMillis() {
        return json.number("activeMillis");
    }

    /** Number of selected objects found so far. */
    public long found() {
        return progress("found");
    }

    public long foundBytes() {
        return progress("foundBytes");
    }

    /** Whether {@link #found} is the total. */
    public boolean isCounted() {
        return json.object("progress").flag("counted");
    }

    public long done() {
        return progress("done");
    }

    public long doneBytes() {
        return progress("doneBytes");
    }

    public long skipped() {
        return progress("skipped");
    }

    public long failed() {
        return progress("failed");
    }

    public long movedBytes() {
        return progress("movedBytes");
    }

    /** Number of objects that are done, skipped or failed. */
    public long finished() {
        return done() + skipped() + failed();
    }

    /** Bytes of objects that are done, skipped or failed, and bytes already transferred of others. */
    public long passedBytes() {
        return doneBytes() + progress("skippedBytes") + progress("failedBytes") + progress("underWayBytes");
    }

    /** How much is done; empty while the total is unknown. */
    public OptionalDouble percent() {
        return number("percent");
    }

    /** Rate over the last seconds; empty unless the job is working. */
    public OptionalDouble objectsPerSecond() {
        return number("objectsPerSecond");
    }

    /** Transfer rate over the last seconds; empty unless the job is working. */
    public OptionalDouble bytesPerSecond() {
        return number("bytesPerSecond");
    }

    /** Estimated time until the end; empty while there is no estimate. */
    public Optional<Duration> timeLeft() {
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
