package io.millrace.backend.testkit.interleaving;

import java.util.Set;
import org.jetbrains.lincheck.jvm.agent.ModelCheckingDefaultTransformationProfile;
import org.jetbrains.lincheck.jvm.agent.TransformationConfiguration;
import org.jetbrains.lincheck.jvm.agent.TransformationProfile;

/**
 * Selects the code that a search by {@link InterleavingSearch} instruments: our own, Reactor's and the JDK's
 * collections. Netty's buffers and files are excluded: their content is not visible to others before it is published,
 * and Lincheck does not know files. So are views of bytes that fingerprints are made with, which share nothing, and
 * those that count uses, where any order is right.
 */
final class InterleavingScope implements TransformationProfile {
    private static final TransformationProfile ALL = ModelCheckingDefaultTransformationProfile.INSTANCE;

    /** Methods that touch a file though none is passed to them. */
    private static final Set<String> FILE_METHODS = Set.of(
            "io.millrace.cache.disk.StoredBlock.read",
            "io.millrace.cache.disk.Segment.close",
            "io.millrace.cache.disk.Segment.isWritten",
            "io.millrace.cache.disk.Segment.takeNameAway",
            "io.millrace.cache.disk.SegmentWriter.seal");

    /** Classes whose methods only touch files. */
    private static final Set<String> FILE_CLASSES =
            Set.of("io.millrace.cache.metadata.RocksDbDatabase", "io.millrace.cache.metadata.StoreWriteCountFile");

    private static final Set<String> BYTE_VIEW_CLASSES =
            Set.of("io.millrace.cache.index.FingerprintHash", "io.millrace.cache.eviction.FrequencySketch");

    @Override
    public boolean shouldTransform(String className) {
        return !className.startsWith("io.netty.")
                && !BYTE_VIEW_CLASSES.contains(className)
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
                && (FILE_METHODS.contains(className + "." + method)
                        || FILE_CLASSES.contains(className)
                        || arguments.contains("Ljava/nio/channels/FileChannel;")
                        || arguments.contains("Ljava/nio/file/Path;"));
    }
}
