package io.millrace.gateway.cli;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory limits of a JVM that are already set and that the launcher must not change.
 *
 * @param heap heap limit in bytes, at most {@link #LARGEST}; empty if the launcher may choose
 * @param direct limit of direct memory in bytes, at most {@link #LARGEST}; empty if the launcher may choose
 * @param unreadable options about either that have no size, so that the JVM does not start with them
 * @param owner origin of the limits, as shown to the operator
 */
public record PresetJvmMemoryLimits(OptionalLong heap, OptionalLong direct, List<String> unreadable, String owner) {
    /** Environment variable with JVM options that override those of the launcher. */
    public static final String VARIABLE = "MILLRACE_JAVA_OPTIONS";

    /** The largest that is told from others: no machine has as much, and some of them can be added. */
    static final long LARGEST = 1L << 60;

    private static final List<String> HEAP = List.of("-Xmx", "-XX:MaxHeapSize=");
    private static final List<String> DIRECT = List.of("-XX:MaxDirectMemorySize=");

    /** A size as the JVM reads it. */
    private static final Pattern SIZE = Pattern.compile("(?:0[xX]([0-9a-fA-F]{1,40})|([0-9]{1,40}))([kmgtKMGT]?)");

    private static final int HEXADECIMAL = 16;

    public PresetJvmMemoryLimits {
        unreadable = List.copyOf(unreadable);
    }

    /** Parses the limits in the operator's options; as in the JVM, the last option of a kind applies. */
    public static PresetJvmMemoryLimits of(String options) {
        List<String> unreadable = new ArrayList<>();
        OptionalLong heap = last(HEAP, options, unreadable);
        OptionalLong direct = last(DIRECT, options, unreadable);
        return new PresetJvmMemoryLimits(heap, direct, unreadable, VARIABLE);
    }

    /** Returns the limits of this JVM. */
    public static PresetJvmMemoryLimits ofThisProcess() {
        // What -Xmx says. The runtime's own figure is less by what the collector keeps for itself.
        long heap = optionOfThisProcess("MaxHeapSize");
        long direct = optionOfThisProcess("MaxDirectMemorySize");
        // Without the option the JVM's limit of direct memory is that of the heap.
        return new PresetJvmMemoryLimits(
                OptionalLong.of(Math.min(LARGEST, heap)),
                OptionalLong.of(
                        Math.min(LARGEST, direct == 0 ? Runtime.getRuntime().maxMemory() : direct)),
                List.of(),
                "the JVM");
    }

    private static long optionOfThisProcess(String name) {
        return Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption(name)
                .getValue());
    }

    /** Returns where the limits stand, for problems with them. */
    String source() {
        return owner.equals(VARIABLE) ? "environment variable " + VARIABLE : "options of java";
    }

    private static OptionalLong last(List<String> names, String options, List<String> unreadable) {
        OptionalLong last = OptionalLong.empty();
        // The launcher divides them so.
        for (String option : options.strip().split("\\s+", -1)) {
            Optional<String> name = names.stream().filter(option::startsWith).findFirst();
            OptionalLong size =
                    name.isPresent() ? size(option.substring(name.get().length())) : OptionalLong.empty();
            if (size.isPresent()) {
                last = size;
            } else if (name.isPresent()) {
                unreadable.add(option);
            }
        }
        return last;
    }

    private static OptionalLong size(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            return OptionalLong.empty();
        }
        BigInteger count =
                size.group(1) == null ? new BigInteger(size.group(2)) : new BigInteger(size.group(1), HEXADECIMAL);
        String unit = size.group(3).toLowerCase(Locale.ROOT);
        int power = unit.isEmpty() ? 0 : "kmgt".indexOf(unit) + 1;
        return OptionalLong.of(
                count.shiftLeft(10 * power).min(BigInteger.valueOf(LARGEST)).longValueExact());
    }
}
