import Commands

await AasaMonitor.start()
