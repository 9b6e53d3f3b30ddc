package io.millrace.loadgen.client;

/**
 * Synthetic objects whose keys and sizes are computed from their index, so that any number of them needs no memory. The
 * key is the prefix, the index in ten digits and the size: {@code epoch/0000000042/65536}.
 */
public record GeneratedObjects(String prefix, long count, SizeDistribution sizes) implements ObjectCatalog {
    @Override
    public TestObject get(long index) {
        long size = sizes.sizeOf(index);
        StringBuilder key = new StringBuilder(prefix.length() + 32).append(prefix);
        String digits = Long.toString(index);
        key.append("0".repeat(Math.max(0, 10 - digits.length()))).append(digits);
        return TestObject.of(new SyntheticObject(key.append('/').append(size).toString(), size));
    }
}
