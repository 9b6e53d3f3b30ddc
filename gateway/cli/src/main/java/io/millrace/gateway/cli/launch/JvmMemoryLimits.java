package io.millrace.gateway.cli.launch;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits of a JVM's memory that are set already, whatever would fit.
 *
 * @param heap bytes; empty if the launcher may choose
 * @param direct bytes of direct memory; the same
 * @param owner who set them, in words for the operator
 */
public record JvmMemoryLimits(OptionalLong heap, OptionalLong direct, String owner) {
    /** The variable with options that win over those of the launcher. */
    public static final String VARIABLE = "MILLRACE_JAVA_OPTIONS";

    private static final Pattern HEAP = option("-Xmx|-XX:MaxHeapSize=");
    private static final Pattern DIRECT = option("-XX:MaxDirectMemorySize=");

    /** Those in options of the operator; as in the JVM, the last of a kind counts. */
    public static JvmMemoryLimits of(String options) {
        return new JvmMemoryLimits(last(HEAP, options), last(DIRECT, options), VARIABLE);
    }

    /** Those of this JVM. */
    public static JvmMemoryLimits ofThisProcess() {
        long heap = Runtime.getRuntime().maxMemory();
        long direct = Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue());
        // Without the option the JVM takes as much as its heap.
        return new JvmMemoryLimits(OptionalLong.of(heap), OptionalLong.of(direct == 0 ? heap : direct), "the JVM");
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
