package io.millrace.gateway.control;

import io.millrace.gateway.control.GatewayStatus.DiskNumbers;
import java.util.List;

/** The disks of the cache, in the order of the settings. */
record DiskList(List<DiskNumbers> disks) {
    DiskList {
        disks = List.copyOf(disks);
    }
}
