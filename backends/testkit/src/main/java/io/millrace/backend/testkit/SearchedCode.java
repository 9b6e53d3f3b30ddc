package io.millrace.backend.testkit;

import java.util.Set;
import org.jetbrains.lincheck.jvm.agent.ModelCheckingDefaultTransformationProfile;
import org.jetbrains.lincheck.jvm.agent.TransformationConfiguration;
import org.jetbrains.lincheck.jvm.agent.TransformationProfile;

/**
 * Where a search by {@link Schedules} looks: our code, Reactor's and the JDK's collections. Netty's buffers and files are used as
 * they are: what lies in them is nobody's to see before it is published, and Lincheck knows no files. Nor does it know the views of
 * bytes that fingerprints are made with, which share nothing, and those that uses are counted in, where every order will do.
 */
final class SearchedCode implements TransformationProfile {
    private static final TransformationProfile ALL = ModelCheckingDefaultTransformationProfile.INSTANCE;

    /** Methods that touch a file though nobody hands them one. */
    private static final Set<String> FILES = Set.of(
            "io.millrace.cache.disk.Segment.close",
            "io.millrace.cache.disk.Segment.takeNameAway",
            "io.millrace.cache.disk.SegmentWriter.seal");

    /** Whose methods do nothing else. */
    private static final Set<String> FILE_CLASSES =
            Set.of("io.millrace.cache.metadata.MetadataEngine", "io.millrace.cache.metadata.WriteCount");

    private static final Set<String> VIEWS_OF_BYTES =
            Set.of("io.millrace.cache.index.FingerprintHash", "io.millrace.cache.eviction.FrequencySketch");

    @Override
    public boolean shouldTransform(String className) {
        return !className.startsWith("io.netty.")
                && !VIEWS_OF_BYTES.contains(className)
                // Lincheck uses it itself, and finds nothing in it any more when it hands out hash codes of its own.
                && !className.startsWith("java.util.IdentityHashMap")
                && ALL.shouldTransform(className);
    }

    @Override
    public TransformationConfiguration getMethodConfiguration(String className, String method, String descriptor) {
        TransformationConfiguration configuration = ALL.getMethodConfiguration(className, method, descriptor);
        if (className.startsWith("io.millrace.") && touchesFiles(className, method, descriptor)) {
            TransformationConfiguration alone = new TransformationConfiguration();
            alone.setWrapInIgnoredSection(true);
            return alone;
        }
        return configuration;
    }

    private static boolean touchesFiles(String className, String method, String descriptor) {
        String arguments = descriptor.substring(0, descriptor.indexOf(')'));
        return !method.equals("<init>")
                && (FILES.contains(className + "." + method)
                        || FILE_CLASSES.contains(className)
                        || arguments.contains("Ljava/nio/channels/FileChannel;")
                        || arguments.contains("Ljava/nio/file/Path;"));
    }
}
