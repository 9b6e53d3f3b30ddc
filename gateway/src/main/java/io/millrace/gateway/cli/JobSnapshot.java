package io.millrace.gateway.cli;

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

    /** Bytes of objects that were done or skipped. */
    long endedBytes() {
        return doneBytes() + progress("skippedBytes");
    }

    private long progress(String name) {
        return json.object("progress").number(name);
    }
}
