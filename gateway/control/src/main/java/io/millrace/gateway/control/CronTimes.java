package io.millrace.gateway.control;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The times of a schedule: cron's five fields, read by the wall clock of a time zone. Of an hour that the zone repeats
 * the second pass has no times; a time in an hour that it leaves out comes an hour later. Immutable.
 */
final class CronTimes {
    private static final int FIELDS = 5;

    private final CronExpression expression;
    private final ZoneId zone;

    private CronTimes(CronExpression expression, ZoneId zone) {
        this.expression = expression;
        this.zone = zone;
    }

    /**
     * Parses fields.
     *
     * @throws IllegalArgumentException if they are no times of cron; the message says why
     */
    static CronTimes of(String fields, ZoneId zone) {
        String[] parts = fields.strip().split("\\s+");
        if (parts.length != FIELDS) {
            throw new IllegalArgumentException("is not five fields but %d".formatted(parts.length));
        }
        CronTimes times;
        try {
            times = new CronTimes(CronExpression.parse("0 " + String.join(" ", parts)), zone);
        } catch (RuntimeException e) {
            // Its parser cuts odd fields into pieces, and may miss one that it expects.
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalArgumentException("is not what cron has: " + cause.getMessage(), e);
        }
        if (times.after(Instant.EPOCH).isEmpty()) {
            throw new IllegalArgumentException("never comes");
        }
        return times;
    }

    /**
     * Returns the zone of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("is not a time zone", e);
        }
    }

    /** Returns the first time after another; empty if there is none. */
    Optional<Instant> after(Instant time) {
        @Nullable Instant first = null;
        @Nullable LocalDateTime local = expression.next(before(time));
        while (local != null) {
            Instant next = local.atZone(zone).toInstant();
            if (next.isAfter(time) && (first == null || next.isBefore(first))) {
                first = next;
            }
            boolean isLeftOut = zone.getRules().getValidOffsets(local).isEmpty();
            if (first != null && !isLeftOut) {
                break;
            }
            // Of what is left out and comes later, something else may come before it.
            local = expression.next(local);
        }
        return Optional.ofNullable(first);
    }

    /** Returns a time of the clock before all whose moments come after this one. */
    private LocalDateTime before(Instant time) {
        LocalDateTime local = LocalDateTime.ofInstant(time, zone);
        @Nullable ZoneOffsetTransition last = zone.getRules().previousTransition(time.plusNanos(1));
        return last != null && last.isGap() && time.isBefore(last.getInstant().plus(last.getDuration()))
                ? last.getDateTimeBefore().minusSeconds(1)
                : local;
    }

    /** Returns the last time up to {@code end} that is after {@code time} and {@code earliest}; empty if none is. */
    Optional<Instant> last(Instant time, Instant earliest, Instant end) {
        Optional<Instant> last = Optional.empty();
        Optional<Instant> next = after(time.isAfter(earliest) ? time : earliest);
        while (next.isPresent() && !next.get().isAfter(end)) {
            last = next;
            next = after(next.get());
        }
        return last;
    }
}
