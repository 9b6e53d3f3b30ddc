package io.millrace.gateway.control.status;

import io.millrace.gateway.control.status.GatewayStatus.DiskStatus;
import java.util.List;

/** The response that lists the disks of the cache, in the order of the settings. */
public record DiskList(List<DiskStatus> disks) {
    public DiskList {
        disks = List.copyOf(disks);
    }
}
