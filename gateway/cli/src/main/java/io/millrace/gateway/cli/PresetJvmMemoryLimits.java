package io.millrace.gateway.cli;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory limits of a JVM that are already set and that the launcher must not change.
 *
 * @param heap heap limit in bytes; empty if the launcher may choose
 * @param direct limit of direct memory in bytes; empty if the launcher may choose
 * @param owner origin of the limits, as shown to the operator
 */
public record PresetJvmMemoryLimits(OptionalLong heap, OptionalLong direct, String owner) {
    /** Environment variable with JVM options that override those of the launcher. */
    public static final String VARIABLE = "MILLRACE_JAVA_OPTIONS";

    private static final Pattern HEAP = option("-Xmx|-XX:MaxHeapSize=");
    private static final Pattern DIRECT = option("-XX:MaxDirectMemorySize=");

    /** Parses the limits in the operator's options; as in the JVM, the last option of a kind applies. */
    public static PresetJvmMemoryLimits of(String options) {
        return new PresetJvmMemoryLimits(last(HEAP, options), last(DIRECT, options), VARIABLE);
    }

    /** Returns the limits of this JVM. */
    public static PresetJvmMemoryLimits ofThisProcess() {
        // What -Xmx says. The runtime's own figure is less by what the collector keeps for itself.
        long heap = optionOfThisProcess("MaxHeapSize");
        long direct = optionOfThisProcess("MaxDirectMemorySize");
        // Without the option the JVM's limit of direct memory is that of the heap.
        return new PresetJvmMemoryLimits(
                OptionalLong.of(heap),
                OptionalLong.of(direct == 0 ? Runtime.getRuntime().maxMemory() : direct),
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

    private static Pattern option(String name) {
        return Pattern.compile("(?:^|\\s)(?:" + name + ")([0-9]{1,12})([kmgtKMGT]?)(?=\\s|$)");
    }

    private static OptionalLong last(Pattern option, String options) {
        OptionalLong last = OptionalLong.empty();
        for (Matcher found = option.matcher(options); found.find(); ) {
            int power = "kmgt".indexOf(found.group(2).toLowerCase(Locale.ROOT)) + 1;
            long count = Long.parseLong(found.group(1));
            last = OptionalLong.of(found.group(2).isEmpty() ? count : count << (10 * power));
        }
        return last;
    }
}
